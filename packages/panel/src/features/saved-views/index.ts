export { savedViewRoutes } from './saved-views.routes.ts';
export { createSavedViewService, type SavedViewService } from './saved-views.service.ts';
