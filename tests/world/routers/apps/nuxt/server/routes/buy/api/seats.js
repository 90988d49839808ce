export default defineEventHandler(() => ({ heading: "Seats" }));
