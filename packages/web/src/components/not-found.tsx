import { Button } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { commonMessages } from '../messages/common.ts';
import { EmptyState } from './empty-state.tsx';
import { PageHeader } from './page-header.tsx';

type Props = { what: string; back: { to: LinkProps['to']; label: string }; children: ReactNode };

const messages = commonMessages.notFound;

/** Shown if the entity does not exist or the user has no access to it. `children` gives possible reasons. */
export function NotFound({ what, back, children }: Props) {
  return (
    <>
      <PageHeader title={messages.pageTitle(what)} back={back} />
      <EmptyState
        title={messages.title(what)}
        action={
          <Button component={Link} to={back.to}>
            {messages.goBack(back.label)}
          </Button>
        }
      >
        {children}
      </EmptyState>
    </>
  );
}
