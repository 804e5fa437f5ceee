import { Button } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { commonMessages } from '../messages/common.ts';
import { EmptyState } from './empty-state.tsx';
import { PageHeader } from './page-header.tsx';

type Props = { entity: string; back: { to: LinkProps['to']; label: string }; children: ReactNode };

const messages = commonMessages.notFound;

/** Shown if an entity does not exist or the user has no access to it. `children` lists possible reasons. */
export function NotFound({ entity, back, children }: Props) {
  return (
    <>
      <PageHeader title={messages.pageTitle(entity)} back={back} />
      <EmptyState
        title={messages.title(entity)}
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
