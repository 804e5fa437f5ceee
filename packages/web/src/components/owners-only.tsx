import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useHasPermission } from '../lib/session.ts';
import { commonMessages } from '../messages/common.ts';
import { EmptyState } from './empty-state.tsx';
import { PageHeader } from './page-header.tsx';

type Props = {
  title: string;
  /** Shows users with other roles what an owner can do for them. */
  hint?: string;
  children: ReactNode;
};

const messages = commonMessages.ownersOnly;

/** Renders a page for owners only. Other users see why they cannot open it. */
export function OwnersOnly({ title, hint, children }: Props) {
  if (useHasPermission('owner')) return children;
  return (
    <>
      <PageHeader title={title} />
      <EmptyState
        title={messages.title}
        action={
          <Button component={Link} to="/">
            {messages.goToOverview}
          </Button>
        }
      >
        {hint ?? messages.hint}
      </EmptyState>
    </>
  );
}
