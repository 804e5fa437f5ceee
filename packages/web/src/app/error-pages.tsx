import { Button } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { appMessages } from '../messages/app.ts';

const messages = appMessages.pageNotFound;

export function NotFoundPage() {
  return (
    <EmptyState
      title={messages.title}
      action={
        <Button component={Link} to="/">
          {messages.goToOverview}
        </Button>
      }
    >
      {messages.description}
    </EmptyState>
  );
}

/** Replaces a page that failed to render. The rest of the panel still works. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorNote error={error} onRetry={retry} />;
}
