import Link from "next/link";

export const getServerSideProps = () => ({ props: { heading: "Home" } });
export default function Home({ heading }) {
  return <><h1>{heading}</h1><Link href="/buy">Buy</Link></>;
}
