import { Table } from '@mantine/core';
import type { Service } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import { count } from '../../../lib/format.ts';
import type { Plan } from '../../../lib/licenses-api.ts';
import styles from './plan-table.module.css';

type Props = { plans: Plan[]; services: Service[] };

/** What a license of each plan gets, unless it says otherwise itself. */
export function PlanTable({ plans, services }: Props) {
  const names = new Map(services.map(({ slug, name }) => [slug, name]));
  return (
    <Table className={styles.table} fz="md" aria-label="Plans">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Plan</Table.Th>
          <Table.Th>Sites for each license</Table.Th>
          <Table.Th>Services</Table.Th>
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
              {plan.site_limit === null ? 'Unlimited' : count(plan.site_limit, 'site')}
            </Table.Td>
            <Table.Td>
              {plan.services.map((slug) => names.get(slug) ?? slug).join(', ') || 'None'}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
