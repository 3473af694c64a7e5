extension StoreError {
  /// A kind of fault.
  ///
  /// ```swift
  /// do {
  ///   try store.update(snack)
  /// } catch let error as StoreError {
  ///   if error.code == .notFound { try store.insert(snack) } else { throw error }
  /// }
  /// ```
  ///
  /// Compare with `==`; an unknown code is to be treated as a failure of the operation.
  public struct Code: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The code's name, stable across versions.
    public let rawValue: String
    /// Makes a code of one's own; choose a name that says the fault, not the store.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The code's name.
    public var description: String { rawValue }
  }
}

extension StoreError.Code {
  // Values and rows.

  /// A value that cannot be stored: NaN, a number outside the attribute's range, a wrong kind.
  public static let invalidValue = Self(rawValue: "invalidValue")
  /// A required attribute has no value and no default.
  public static let missingValue = Self(rawValue: "missingValue")
  /// One value is larger than the store's limit.
  public static let tooLarge = Self(rawValue: "tooLarge")
  /// A primary key or unique rule is already taken.
  public static let duplicate = Self(rawValue: "duplicate")
  /// An object breaks rules of its entity; every broken one is in `failures`, with its name.
  public static let validationFailed = Self(rawValue: "validationFailed")
  /// A stale object: its version is not the one that is stored; both are in `values`, the object's
  /// first.
  public static let conflict = Self(rawValue: "conflict")
  /// An object of a session was used that is deleted.
  public static let deletedObject = Self(rawValue: "deletedObject")
  /// A handle was used whose session has ended, was reset, or is another.
  public static let sessionEnded = Self(rawValue: "sessionEnded")
  /// The row asked for does not exist.
  public static let notFound = Self(rawValue: "notFound")
  /// A link that was not loaded was to be read.
  public static let notLoaded = Self(rawValue: "notLoaded")
  /// A link leads to an object that does not exist.
  public static let missingTarget = Self(rawValue: "missingTarget")
  /// Two links or objects of one graph contradict each other: one target for two containers, or two
  /// values for one key.
  public static let conflictingLinks = Self(rawValue: "conflictingLinks")
  /// A to-many has fewer or more targets than its count allows: one of the failures of a
  /// `validationFailed`.
  public static let countOutOfRange = Self(rawValue: "countOutOfRange")
  /// A delete that the rule `deny` forbids.
  public static let denied = Self(rawValue: "denied")
  /// New objects whose required to-ones lead in a circle, so that none can be stored first.
  public static let requiredCycle = Self(rawValue: "requiredCycle")
  /// More than one row where one was asked for.
  public static let ambiguous = Self(rawValue: "ambiguous")
  /// A sum, or the arithmetic of an update, does not fit its type.
  public static let overflow = Self(rawValue: "overflow")
  /// The last integer key has been given out.
  public static let keysExhausted = Self(rawValue: "keysExhausted")
  /// A stored value that cannot become the model's type.
  public static let decoding = Self(rawValue: "decoding")
  /// A batch that contradicts itself: two objects with one key, an equal-list with two values.
  public static let invalidBatch = Self(rawValue: "invalidBatch")

  // Schemas.

  /// A schema that breaks a rule; every broken rule is in `failures`.
  public static let invalidSchema = Self(rawValue: "invalidSchema")
  /// The store's schema and the program's differ in more than additions.
  public static let schemaMismatch = Self(rawValue: "schemaMismatch")
  /// The store was written by a newer format than this one knows.
  public static let schemaTooNew = Self(rawValue: "schemaTooNew")
  /// No entity of this name in the schema.
  public static let unknownEntity = Self(rawValue: "unknownEntity")
  /// No attribute of this name in the entity.
  public static let unknownAttribute = Self(rawValue: "unknownAttribute")

  /// A derived attribute that differs from the value computed from its targets, as a check reports;
  /// its values are the stored and the expected one.
  public static let wrongDerived = Self(rawValue: "wrongDerived")

  // Migrations.

  /// A migration plan that does not lead to the declared schema, or names a missing part; every
  /// difference is in `failures`.
  public static let invalidPlan = Self(rawValue: "invalidPlan")
  /// A step of a migration that failed; its cause is in `failures`, and the store is as it was.
  public static let migrationFailed = Self(rawValue: "migrationFailed")
  /// A version of a migration plan that cannot be undone, since nothing leads back from one of its
  /// steps.
  public static let irreversible = Self(rawValue: "irreversible")

  // Requests.

  /// A condition or sort that makes no sense for its attributes' types.
  public static let invalidCondition = Self(rawValue: "invalidCondition")
  /// A condition past the limits of depth, text or list length.
  public static let tooComplex = Self(rawValue: "tooComplex")
  /// A negative page, limit or offset, or a page larger than the store's maximum.
  public static let invalidPage = Self(rawValue: "invalidPage")
  /// A cursor that belongs to another query.
  public static let invalidCursor = Self(rawValue: "invalidCursor")

  // Transactions.

  /// A write block inside a read block of the same store and thread.
  public static let reentrancy = Self(rawValue: "reentrancy")
  /// A transaction used after its block ended, or on another thread.
  public static let transactionEnded = Self(rawValue: "transactionEnded")
  /// Another writer held the store longer than `writerWait`.
  public static let busy = Self(rawValue: "busy")
  /// An operation was not done by its deadline; it has changed nothing.
  public static let deadlineExceeded = Self(rawValue: "deadlineExceeded")
  /// A transaction that other programs prevented from completing; it has changed nothing.
  public static let contended = Self(rawValue: "contended")
  /// The connection to the server was lost before the commit; the transaction has changed nothing.
  public static let connectionLost = Self(rawValue: "connectionLost")
  /// The connection to the server was lost during the commit, which may have been done or not.
  public static let outcomeUnknown = Self(rawValue: "outcomeUnknown")
  /// A stream stood still for too long and lost its snapshot.
  public static let snapshotExpired = Self(rawValue: "snapshotExpired")
  /// The store was closed.
  public static let closed = Self(rawValue: "closed")
  /// The store was opened before this process was forked.
  public static let forked = Self(rawValue: "forked")

  // History.

  /// The store keeps no history, or none of an entity, or not in the detail that was asked for.
  public static let historyOff = Self(rawValue: "historyOff")
  /// The history no longer has every commit after a token; see `oldestHistoryToken`.
  public static let historyTruncated = Self(rawValue: "historyTruncated")
  /// A token of the history of another store, or a member of another coordinator or of another time.
  public static let wrongStore = Self(rawValue: "wrongStore")
  /// A text that is no token of a history, such as one that was cut off.
  public static let invalidToken = Self(rawValue: "invalidToken")

  // Files.

  /// The file is not a store of this kind.
  public static let notADatabase = Self(rawValue: "notADatabase")
  /// The file is one of ours and damaged.
  public static let corrupt = Self(rawValue: "corrupt")
  /// The file or folder cannot be opened or made.
  public static let cannotOpen = Self(rawValue: "cannotOpen")
  /// A write to a store that was opened read-only.
  public static let readOnly = Self(rawValue: "readOnly")
  /// The disk, or the store's size limit, is full.
  public static let full = Self(rawValue: "full")
  /// The operating system could not read or write.
  public static let inputOutput = Self(rawValue: "inputOutput")
  /// The file is already open in this process through another store.
  public static let alreadyOpen = Self(rawValue: "alreadyOpen")
  /// The store's file was removed or replaced while the store was open.
  ///
  /// The next opening would not find new writes: close the store and open it again.
  public static let fileReplaced = Self(rawValue: "fileReplaced")
  /// The file or the engine's library is of a version that this store cannot use; the message names
  /// both versions and a remedy.
  public static let unsupportedVersion = Self(rawValue: "unsupportedVersion")

  /// The store has no such thing as was asked for, such as SQL in a store that is no SQL database.
  public static let unsupported = Self(rawValue: "unsupported")
  /// A statement of SQL that the database refuses, or that would change tables of the store, a
  /// transaction or a setting.
  public static let invalidStatement = Self(rawValue: "invalidStatement")

  // Several stores as one.

  /// A member of a coordinator lacks changes that the others have, and could not be given them.
  ///
  /// The message names it. Its entities cannot be read until it has them, and nothing can be written.
  public static let degraded = Self(rawValue: "degraded")

  // Set-up and exchange.

  /// No default store was set up, or another one was.
  public static let notConfigured = Self(rawValue: "notConfigured")
  /// A store location that cannot be read.
  public static let invalidLocation = Self(rawValue: "invalidLocation")
  /// A record of text from elsewhere that cannot be read; the message says line and column, and
  /// several faults of one record are in `failures`.
  public static let invalidImport = Self(rawValue: "invalidImport")
  /// An import had more bad records than it may collect; the first are in `failures`.
  public static let importStopped = Self(rawValue: "importStopped")
  /// An import would have deleted more rows than it may, or could not know which.
  public static let pruneRefused = Self(rawValue: "pruneRefused")
  /// The source of an import that was interrupted has changed since.
  public static let sourceChanged = Self(rawValue: "sourceChanged")
  /// A JSON mapping that contradicts itself or its model; every fault is in `failures`.
  public static let invalidMapping = Self(rawValue: "invalidMapping")
  /// The store that a copy is to fill has rows already.
  public static let notEmpty = Self(rawValue: "notEmpty")
  /// A failure of the engine that has no code of its own here; see `engineCode`.
  public static let engine = Self(rawValue: "engine")
}
