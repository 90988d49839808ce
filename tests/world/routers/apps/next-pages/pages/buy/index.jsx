import Link from "next/link";

export const getServerSideProps = () => ({ props: { heading: "Seats" } });
export default function Seats({ heading }) {
  return <><h1>{heading}</h1><Link href="/buy/two">More</Link> <Link href="/buy/done">Finish</Link><form method="post" action="/buy/order"><button>Order</button></form></>;
}
