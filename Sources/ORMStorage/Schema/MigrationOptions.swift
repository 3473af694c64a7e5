public import ORMValues

/// The options of the migration of a store.
///
/// ```swift
/// var options = StoreOptions()
/// options.migration.mode = .resumable
/// options.migration.pace = 0.5
/// ```
public struct MigrationOptions: Hashable, Sendable {
  /// The transactions in which rows are changed; ``Mode/automatic`` unless set.
  public var mode = Mode.automatic
  /// The number of rows to be changed from which on ``Mode/automatic`` is ``Mode/resumable``.
  public var atomicRows = 200_000
  /// The programs that may write while a migration runs in many transactions; ``Access/exclusive`` unless
  /// set.
  public var access = Access.exclusive
  /// The share of time in which work in many transactions goes on, above 0 and up to 1; it rests for the
  /// other share, between transactions.
  ///
  /// That is a resumable migration, and an index that is built beside writers.
  public var pace = 1.0
  /// The number of rows from which on an opening builds an index that it adds beside writers, in many
  /// transactions (clause 10.18).
  ///
  /// ```swift
  /// options.migration.onlineIndexRows = 1_000_000
  /// ```
  ///
  /// An index over fewer rows is built in the transaction of the opening. In SQLite every index is.
  public var onlineIndexRows = 50_000
  /// The policy for copies of the store's file before a migration; ``Backup/beforeLoss(keep:)`` unless
  /// set.
  public var backup = Backup.beforeLoss()
  /// The treatment of rows that break validation rules at the end; ``Validation/report`` unless set.
  public var validation = Validation.report
  /// The treatment of links that lead nowhere at the end; ``Links/check`` unless set.
  public var links = Links.check
  /// The most rows that a resumable migration reads at once.
  package var batchRows = 4_000
  /// The bytes of entries of an index that are sorted at once where it is built beside writers.
  package var indexRunSize = 2 << 20
  /// The bytes of entries that a transaction puts into such an index.
  package var indexMergeSize = 128 << 10
  /// The time after which a transaction of a resumable migration ends with its batch.
  package var partDuration = Duration.milliseconds(200)

  /// The defaults.
  public init() {}

  /// The transactions in which a migration changes rows; the result is the same (clause 10.9).
  ///
  /// ```swift
  /// options.migration.mode = .atomic
  /// ```
  public enum Mode: String, Hashable, Codable, Sendable {
    /// ``atomic`` below ``MigrationOptions/atomicRows`` rows to be changed, else ``resumable``.
    case automatic
    /// One transaction.
    case atomic
    /// Many transactions, which write copies of the rows of each entity that changes, and a last one
    /// that replaces the rows by the copies.
    ///
    /// After a kill the next opening goes on where the last transaction ended. Until the end, programs
    /// read the store as it was, and those that write to it get `busy`, or write with ``Access/online``.
    /// It needs disk space for the copies.
    case resumable
  }

  /// The programs that may write while a migration runs in many transactions.
  ///
  /// ```swift
  /// options.migration.access = .online
  /// ```
  public enum Access: String, Hashable, Codable, Sendable {
    /// The program that migrates; others throw `busy`.
    case exclusive
    /// Every program that fits the store as it was (clause 10.19).
    ///
    /// The migration takes over their writes, and the last transaction takes the rest. A plan with a step
    /// that reads other rows than the one that it writes throws `invalidPlan` for any number of rows,
    /// unless the mode is ``Mode/atomic``.
    case online
  }

  /// A policy for copies of a store's file before a migration (clause 10.14).
  ///
  /// ```swift
  /// options.migration.backup = .none
  /// ```
  ///
  /// A copy lies beside the file: `app.before-3.sqlite` is the store before it was migrated to version
  /// 3, with the folder of its external data. `StoreLocation.restore(from:)` puts it back. A store
  /// without rows, or without a file, is not copied. If the copy cannot be made, nothing is migrated.
  public enum Backup: Hashable, Sendable {
    /// No copy.
    case none
    /// A copy if the migration can lose values, rows or links; the newest `keep` copies stay.
    case beforeLoss(keep: Int = 2)
    /// A copy before each migration and recreation; the newest `keep` copies stay.
    case always(keep: Int = 2)
  }
}

extension MigrationOptions {
  /// The treatment of rows that break a validation rule of the program at the end of a plan.
  ///
  /// ```swift
  /// options.migration.validation = .throw
  /// ```
  ///
  /// The rows of entities that steps have written are looked through (clause 10.16).
  public enum Validation: String, Hashable, Codable, Sendable {
    /// `SchemaEvent.didFind` names up to 100 of them, and the migration goes on.
    case report
    /// They stop the migration with `validationFailed`.
    case `throw`
    /// No check.
    case off
  }

  /// The treatment of links that lead nowhere at the end of a plan.
  ///
  /// ```swift
  /// options.migration.links = .clear
  /// ```
  ///
  /// The links from and to entities whose rows steps have written are looked through (clause 10.16).
  public enum Links: String, Hashable, Codable, Sendable {
    /// They stop the migration with `missingTarget`, but for those that the delete rule `noAction`
    /// allows.
    case check
    /// They are removed; one that is required stops the migration with `missingTarget`.
    case clear
    /// No check.
    case off
  }
}

/// The outcome of a transaction of a migration.
public enum MigrationOutcome: Sendable {
  /// The transaction is to be committed, and another goes on.
  case goesOn(MigrationProgress)
  /// The store is migrated; the errors name rows that break validation rules.
  case done(findings: [StoreError])

  /// The end without findings.
  public static var done: Self { .done(findings: []) }
}

/// The progress of a migration of many transactions (clause 10.13).
public struct MigrationProgress: Hashable, Sendable {
  /// The version whose steps run.
  public var version: Int
  /// The step, from 1; 0 while rows are copied, before the first.
  public var step: Int
  /// The rows that were read so far, each as often as it was read.
  public var rowsDone: Int
  /// The estimated number of rows at the end.
  public var rowsAbout: Int

  /// Makes a progress.
  public init(version: Int, step: Int, rowsDone: Int, rowsAbout: Int) {
    self.version = version
    self.step = step
    self.rowsDone = rowsDone
    self.rowsAbout = rowsAbout
  }
}
