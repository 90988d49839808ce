export const getServerSideProps = () => ({ props: { heading: "Ordered" } });
export default function Page({ heading }) {
  return <h1>{heading}</h1>;
}
