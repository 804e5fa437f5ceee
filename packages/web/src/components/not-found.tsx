import type { ReactNode } from 'react';
import { commonMessages } from '../messages/common.ts';
import { EmptyState } from './empty-state.tsx';
import { PageHeader, type ParentPage } from './page-header.tsx';
import { LinkButton } from './text-link.tsx';

type Props = { entity: string; back: ParentPage; children: ReactNode };

const messages = commonMessages.notFound;

/** Shown if an entity does not exist or the user has no access to it. `children` lists possible reasons. */
export function NotFound({ entity, back, children }: Props) {
  return (
    <>
      <PageHeader title={messages.pageTitle(entity)} back={back} />
      <EmptyState
        title={messages.title(entity)}
        action={
          <LinkButton to={back.to} search={back.search}>
            {messages.goBack(back.label)}
          </LinkButton>
        }
      >
        {children}
      </EmptyState>
    </>
  );
}
