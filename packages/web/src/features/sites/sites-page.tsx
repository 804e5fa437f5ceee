import { PageHeader } from '../../components/page-header.tsx';

export function SitesPage() {
  return <PageHeader title="Sites" />;
}
