import { SAVED_VIEWS_MAX, type SavedView, type SaveViewRequest } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Database } from '../../platform/database/handles.ts';
import { lockUser } from '../accounts/index.ts';
import { countViews, deleteView, listViews, upsertView } from './saved-views.repository.ts';

/** Views of lists: the filters, the order and the columns that a user has saved under a name. */
export type SavedViewService = {
  list(userId: number): Promise<SavedView[]>;
  /** Replaces the view of the same name. */
  save(userId: number, request: SaveViewRequest): Promise<SavedView>;
  remove(userId: number, id: number): Promise<void>;
};

export function createSavedViewService({ db }: { db: Database }): SavedViewService {
  return {
    list: (userId) => listViews(db, userId),

    save(userId, request) {
      const name = request.name.trim();
      if (name === '')
        throw new AppError('invalid_request', { message: 'Enter a name for the view.' });
      return db.transaction().execute(async (trx) => {
        // The lock keeps two requests from exceeding the limit.
        await lockUser(trx, userId);
        const view = await upsertView(trx, userId, { ...request, name });
        if ((await countViews(trx, userId)) > SAVED_VIEWS_MAX) throw new AppError('too_many_views');
        return view;
      });
    },

    async remove(userId, id) {
      if (!(await deleteView(db, userId, id))) {
        throw new AppError('not_found', { message: 'This view does not exist, or was deleted.' });
      }
    },
  };
}
