import { PageHeader } from '../../components/page-header.tsx';

export function LicensePage() {
  return <PageHeader title="License" />;
}
