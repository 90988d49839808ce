export const load = () => ({ heading: "Seats" });
import { redirect } from "@sveltejs/kit";
export const actions = { default: () => redirect(303, "/buy/order") };
