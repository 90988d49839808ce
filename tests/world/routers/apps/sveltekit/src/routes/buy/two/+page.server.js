export const load = () => ({ heading: "More seats" });
