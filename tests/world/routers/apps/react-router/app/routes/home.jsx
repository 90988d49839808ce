import { Link } from "react-router";
export const loader = () => ({ heading: "Home" });
export default function Home({ loaderData }) {
  return <><h1>{loaderData.heading}</h1><Link to="/buy" prefetch="intent">Buy</Link></>;
}
