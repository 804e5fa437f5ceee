import { PageHeader } from '../../components/page-header.tsx';

export function SitePage() {
  return <PageHeader title="Site" />;
}
