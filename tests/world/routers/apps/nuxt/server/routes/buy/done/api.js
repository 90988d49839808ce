export default defineEventHandler(() => ({ heading: "Thanks" }));
