export const loader = () => ({ heading: "Ordered" });
export default function Page({ loaderData }) {
  return <h1>{loaderData.heading}</h1>;
}
