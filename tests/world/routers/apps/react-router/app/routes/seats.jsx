import { Form, Link, redirect } from "react-router";
export const loader = () => ({ heading: "Seats" });
export const action = () => redirect("/buy/order");
export default function Seats({ loaderData }) {
  return <><h1>{loaderData.heading}</h1><Link to="/buy/two" prefetch="intent">More</Link> <Link to="/buy/done" prefetch="intent">Finish</Link><Form method="post"><button>Order</button></Form></>;
}
