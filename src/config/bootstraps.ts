/** Temporary mailboxes that anybody gets in an hour, where no setting says otherwise. */
export const BOOTSTRAPS_PER_HOUR = 10;
