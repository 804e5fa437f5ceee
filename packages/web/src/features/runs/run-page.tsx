import { PageHeader } from '../../components/page-header.tsx';

export function RunPage() {
  return <PageHeader title="Run" />;
}
