export default defineEventHandler(() => ({ heading: "Ordered" }));
