import { Text } from '@mantine/core';
import type { Service } from '@steward/contract';
import type { Plan } from '../../../lib/licenses-api.ts';
import { servicesMessages } from '../../../messages/services.ts';
import styles from './service-list.module.css';

const messages = servicesMessages.list;

type Props = { services: Service[]; plans: Plan[] | undefined };

export function ServiceList({ services, plans }: Props) {
  return (
    <ul className={styles.list} aria-label={messages.label}>
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
                {messages.plans(planNames(service, plans))}
              </Text>
            )}
          </div>
          <div className={styles.aside}>{capitalize(service.category)}</div>
          <div className={`${styles.aside} tabular`}>{messages.version(service.version)}</div>
        </li>
      ))}
    </ul>
  );
}

const planNames = ({ slug }: Service, plans: Plan[]): string[] =>
  plans.filter(({ services }) => services.includes(slug)).map(({ name }) => name);

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
