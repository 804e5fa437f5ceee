import { Button } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNote } from '../components/error-note.tsx';

export function NotFoundPage() {
  return (
    <EmptyState
      title="There is nothing at this address"
      action={
        <Button component={Link} to="/">
          Go to the overview
        </Button>
      }
    >
      The link may be old, or what it led to was removed.
    </EmptyState>
  );
}

/** A page that could not be shown at all. The rest of the panel still works. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const tryAgain = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorNote error={error} onRetry={tryAgain} />;
}
