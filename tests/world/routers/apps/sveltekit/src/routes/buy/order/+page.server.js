export const load = () => ({ heading: "Ordered" });
