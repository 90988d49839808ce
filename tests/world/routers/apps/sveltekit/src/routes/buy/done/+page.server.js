export const load = () => ({ heading: "Thanks" });
