import { TextLink } from '../../../components/text-link.tsx';
import type { RolloutSite } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import dots from './site-dots.module.css';
import styles from './site-entry.module.css';

const messages = rolloutMessages.ring;

/** A site with its state, the error, and links to the site and to its task. */
export function SiteEntry({ site }: { site: RolloutSite }) {
  const { name, state, error, is_rolled_back, site_id, run_id, task_id } = site;
  const reason = error ?? rolloutMessages.explanations[state];
  return (
    <div className={styles.entry}>
      <div className={styles.head}>
        <span className={dots.mark} data-state={state} aria-hidden />
        <span className={styles.name}>{name}</span>
        <span className={styles.word}>{rolloutMessages.states[state]}</span>
      </div>
      <div className={styles.reason}>
        {reason} {is_rolled_back && messages.rolledBack}
      </div>
      <div className={styles.links}>
        <TextLink
          to="/sites/$siteId"
          params={{ siteId: String(site_id) }}
          size="sm"
          aria-label={messages.viewSiteOf(name)}
        >
          {messages.viewSite}
        </TextLink>
        {run_id !== null && (
          <TextLink
            to="/runs/$runId"
            params={{ runId: String(run_id) }}
            search={task_id === null ? {} : { task: String(task_id) }}
            size="sm"
            aria-label={messages.viewTaskOf(name)}
          >
            {messages.viewTask}
          </TextLink>
        )}
      </div>
    </div>
  );
}
