export {
  createItemErrorService,
  type ItemErrorService,
  readItemErrors,
} from './item-errors.service.ts';
