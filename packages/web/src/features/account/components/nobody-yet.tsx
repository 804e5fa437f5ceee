import { Door } from './door.tsx';

/** The panel waits for its first owner, and whoever looks does not have the link. */
export function NobodyYet() {
  return (
    <Door title="Nobody has an account yet">
      The panel printed a link when it started. Open that link to make the first owner. It works
      once, for a day; start the panel again to get a new one.
    </Door>
  );
}
