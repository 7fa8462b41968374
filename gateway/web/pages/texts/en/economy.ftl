## The currency of a game

economy-by-owner = an owner
economy-by-staff = staff
economy-name-label = Name of the currency
economy-name-hint = As players know it. A new name is valid from now on, also for earlier reports.

## Its reports

economy-report-counts = counts
economy-report-rejected = rejected
economy-report-retracted = retracted
economy-report-held = held
economy-report-unknown = not known
economy-report-approved = Staff approved it: { $value }.
economy-report-reason = Staff rejected it, { $from }: { $to }
economy-report-retracted-reason = It counted until staff retracted it, { $from }: { $to }
economy-report-waits = Held for review since { $value }. It does not affect rates until staff approve or reject it. Later reports that are close to the last counted one count meanwhile.
