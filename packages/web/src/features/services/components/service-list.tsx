import { Text } from '@mantine/core';
import type { Service } from '@steward/contract';
import type { Plan } from '../../../lib/licenses-api.ts';
import styles from './service-list.module.css';

type Props = { services: Service[]; plans: Plan[] | undefined };

export function ServiceList({ services, plans }: Props) {
  return (
    <ul className={styles.list} aria-label="Catalogue">
      {services.map((service) => (
        <li key={service.slug} className={styles.item}>
          <div>
            <span className={styles.name}>{service.name}</span>{' '}
            <Text component="span" c="dimmed" className="mono">
              {service.slug}
            </Text>
            <Text>{service.description}</Text>
            {plans && (
              <Text size="sm" c="dimmed">
                {plansWith(service, plans)}
              </Text>
            )}
          </div>
          <div className={styles.aside}>{capital(service.category)}</div>
          <div className={`${styles.aside} tabular`}>Version {service.version}</div>
        </li>
      ))}
    </ul>
  );
}

function plansWith({ slug }: Service, plans: Plan[]): string {
  const names = plans.filter(({ services }) => services.includes(slug)).map(({ name }) => name);
  return names.length === 0 ? 'In no plan' : `In ${names.join(', ')}`;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
