import { PageHeader } from '../../components/page-header.tsx';

export function ServicesPage() {
  return <PageHeader title="Services" />;
}
