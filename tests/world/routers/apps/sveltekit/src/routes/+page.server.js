export const load = () => ({ heading: "Home" });
