import { Table } from '@mantine/core';
import type { Service } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import type { Plan } from '../../../lib/licenses-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { servicesMessages } from '../../../messages/services.ts';
import styles from './plan-table.module.css';

type Props = { plans: Plan[]; services: Service[] };

const messages = servicesMessages.plans;

/** The defaults of each plan. A license can override them. */
export function PlanTable({ plans, services }: Props) {
  const names = new Map(services.map(({ slug, name }) => [slug, name]));
  return (
    <Table className={styles.table} fz="md" aria-label={messages.title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{messages.columns.plan}</Table.Th>
          <Table.Th>{messages.columns.siteLimit}</Table.Th>
          <Table.Th>{messages.columns.services}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {plans.map((plan) => (
          <Table.Tr key={plan.id}>
            <Table.Td>
              <Link to="/licenses" search={{ plan: plan.slug }} className={styles.name}>
                {plan.name}
              </Link>
            </Table.Td>
            <Table.Td className="tabular">
              {plan.site_limit === null
                ? commonMessages.unlimited
                : messages.siteLimit(plan.site_limit)}
            </Table.Td>
            <Table.Td>
              {plan.services.map((slug) => names.get(slug) ?? slug).join(', ') ||
                commonMessages.none}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
