import Link from "next/link";

export const dynamic = "force-dynamic";
export default function Home() {
  return (
    <>
      <h1>Home</h1>
      <Link href="/buy">Buy</Link>
    </>
  );
}
