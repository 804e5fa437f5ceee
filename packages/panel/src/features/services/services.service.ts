import type { Service } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Database } from '../../platform/database/handles.ts';
import { listServices } from './services.repository.ts';

export type ServiceCatalogue = {
  list(): Promise<Service[]>;
  /** Throws `invalid_request` when a slug is not in the catalogue. */
  assertKnown(slugs: string[]): Promise<void>;
};

export function createServiceCatalogue({ db }: { db: Database }): ServiceCatalogue {
  return {
    list: () => listServices(db),

    async assertKnown(slugs) {
      const known = (await listServices(db)).map((service) => service.slug);
      const unknown = slugs.filter((slug) => !known.includes(slug));
      if (unknown.length === 0) return;
      throw new AppError('invalid_request', {
        message: `Unknown service: ${unknown.join(', ')}. Available services: ${known.join(', ')}.`,
      });
    },
  };
}
