export { wordPressLoginRoutes } from './wordpress-login.routes.ts';
export { createWordPressLoginService } from './wordpress-login.service.ts';
