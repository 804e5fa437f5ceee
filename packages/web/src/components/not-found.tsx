import { Button } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';
import { PageHeader } from './page-header.tsx';

type Props = { what: string; back: { to: LinkProps['to']; label: string }; children: ReactNode };

/** A link that leads nowhere, or to what is not the reader's: why that may be. */
export function NotFound({ what, back, children }: Props) {
  return (
    <>
      <PageHeader title={`No such ${what}`} back={back} />
      <EmptyState
        title={`There is no such ${what}`}
        action={
          <Button component={Link} to={back.to}>
            Go to the {back.label.toLowerCase()}
          </Button>
        }
      >
        {children}
      </EmptyState>
    </>
  );
}
