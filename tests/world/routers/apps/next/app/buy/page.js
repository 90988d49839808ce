import Link from "next/link";
import { redirect } from "next/navigation";

export const dynamic = "force-dynamic";
async function order() {
  "use server";
  redirect("/buy/order");
}
export default function Seats() {
  return (
    <>
      <h1>Seats</h1>
      <Link href="/buy/two">More</Link> <Link href="/buy/done">Finish</Link>
      <form action={order}>
        <button>Order</button>
      </form>
    </>
  );
}
