import { EmptyState } from '../../../components/empty-state.tsx';
import { PageHeader } from '../../../components/page-header.tsx';

/** For somebody who came by a link: why there is nothing, and who can help. */
export function OwnersOnly({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <EmptyState title="Only owners can see licenses">
        Ask an owner of this panel if you need a license, or one of your sites needs another.
      </EmptyState>
    </>
  );
}
