"""All models, so that Django finds them."""

from annotator.models.alignments import AlignmentLayer, LinkEvent, PairScore, ScoreRun
from annotator.models.analyses import Origin, PackedForest, Parse
from annotator.models.campaigns import (
    Batch,
    Campaign,
    Condition,
    Credit,
    Guideline,
    Instance,
    Item,
    RatingScale,
)
from annotator.models.corpora import Corpus, Pair, Sentence, Upload
from annotator.models.jobs import Issue, Job, JobChunk
from annotator.models.joint import (
    JointPair,
    JointRun,
    JointTree,
    TreeChange,
    VerdictEvent,
)
from annotator.models.judgments import (
    CampaignMessage,
    JudgePreference,
    Judgment,
    JudgmentEvent,
    MachineJudge,
    MachineJudgment,
    Participant,
    Queue,
    Tally,
)
from annotator.models.paraphrases import Bitext, ParaphraseTable, ParaphraseWeights
from annotator.models.projects import (
    Invitation,
    InvitationUse,
    LogEntry,
    Membership,
    Project,
    Removal,
    Role,
)
from annotator.models.reports import Adjudication, RatingSet, Report
from annotator.models.tokens import ApiToken, Identity, MailNotices
from annotator.models.treebanks import (
    BatchTree,
    TreebankRules,
    TreeBatch,
    TreeDraft,
    TreeEvent,
)
from annotator.models.worklists import (
    SavedQuery,
    WorkItem,
    Worklist,
    WorkPerson,
    WorkShare,
)
