import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../lib/session.ts';
import { EmptyState } from './empty-state.tsx';
import { PageHeader } from './page-header.tsx';

type Props = {
  title: string;
  /** What to ask an owner for. */
  hint?: string;
  children: ReactNode;
};

/** A page for owners. Whoever follows a link to it without being one reads why it stays closed. */
export function OwnersOnly({ title, hint, children }: Props) {
  if (useMay('owner')) return children;
  return (
    <>
      <PageHeader title={title} />
      <EmptyState
        title="This page is for owners"
        action={
          <Button component={Link} to="/">
            Go to the overview
          </Button>
        }
      >
        {hint ?? 'You do not have the right to see it. Ask an owner of the panel.'}
      </EmptyState>
    </>
  );
}
