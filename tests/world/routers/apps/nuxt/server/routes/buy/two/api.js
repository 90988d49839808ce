export default defineEventHandler(() => ({ heading: "More seats" }));
