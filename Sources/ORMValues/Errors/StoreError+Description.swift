public import FoundationEssentials

extension StoreError: CustomStringConvertible {
  /// Code, location, sentence and advice on one line; single faults on lines of their own.
  public var description: String {
    var text = line
    if let recoverySuggestion { text += " " + recoverySuggestion }
    for failure in listedFailures { text += "\n  - \(failure.line)" }
    return text
  }

  /// The code, the location and the sentence.
  private var line: String {
    var text = code.rawValue
    if !location.isEmpty { text += " in \(location)" }
    text += ": \(sentence)"
    if let engineCode { text += " (engine code \(engineCode))" }
    return text + (recoverySuggestion == nil ? "" : ".")
  }

  /// Entity and attributes, by their names in the program.
  private var location: String {
    let names = attributes.shortened
    guard let entity = entity?.shortened else { return names }
    return names.isEmpty ? entity : "\(entity).\(names)"
  }

  /// The message, and the store where the message does not name it.
  private var sentence: String {
    var text = message.last == "." ? String(message.dropLast()) : message
    if let store, !message.contains(store) { text += " (\(store))" }
    return text
  }

  /// The single faults, but for one with the message of the error itself.
  private var listedFailures: [StoreError] {
    failures.count == 1 && failures[0].message == message ? [] : failures
  }
}

extension StoreError: LocalizedError {
  /// The location and the sentence; single faults on lines of their own.
  public var errorDescription: String? {
    let text = location.isEmpty ? sentence : "\(location): \(sentence)"
    return ([text] + listedFailures.compactMap(\.errorDescription)).joined(separator: "\n")
  }

  /// The code, and the engine's own where there is one.
  public var failureReason: String? {
    engineCode.map { "\(code.rawValue) (engine code \($0))" } ?? code.rawValue
  }

  /// The message for programs that want to write while a migration is under way; it names the remedy.
  package static let isBeingMigrated =
    "the store is being migrated and can only be read until that has ended; if the migration was "
    + "interrupted, open the store with its plan, or remove what it has written: strata migrate "
    + "abandon"

  /// The next step; nil where the sentence says all there is to say.
  public var recoverySuggestion: String? {
    switch code {
    case .notADatabase:
      "Check the path: it must lead to a file that a store of this kind made, or to none."
    case .corrupt:
      "Check the store for more damage, then restore the file from a backup, or copy what can be "
        + "read into a new store."
    case .schemaMismatch:
      "Declare what is named as the store has it, or migrate the store by a plan."
    case .schemaTooNew:
      "Open the store with the newest version of the program."
    case .invalidPlan: "Correct the plan; nothing was written."
    case .migrationFailed: "Correct the plan, or the rows that are named, and open the store again."
    case .busy where message == Self.isBeingMigrated: nil
    case .busy:
      "Try again, end transactions and streams that stay open for long, or raise `writerWait` or "
        + "`readerWait`."
    case .deadlineExceeded:
      "Ask for less, add an index, or give it more time with `within` or "
        + "`StoreOptions.operationLimit`; nothing was changed."
    case .closed: "Open the store again."
    case .fileReplaced: "Close the store and open it again."
    case .forked: "Open the store again in the new process."
    case .full: "Free space on the disk, or raise the limit of the store."
    default: nil
    }
  }
}

extension StoreError {
  /// Returns the error with the name of its store, unless the error names one already.
  ///
  /// - Parameter store: the path of the store's file, or a few words where it has no file.
  public func naming(_ store: String) -> StoreError {
    guard self.store == nil else { return self }
    var copy = self
    copy.store = store
    return copy
  }

  /// Runs `body`, and adds the name of a store to each `StoreError` that it throws.
  ///
  /// A driver opens its store in it, so that every error of the opening names the path:
  ///
  /// ```swift
  /// let map = try StoreError.naming(path) { try MyMap(path: path) }
  /// ```
  ///
  /// - Parameters:
  ///   - store: the path of the store's file, or a few words where it has no file.
  ///   - body: opens the store.
  /// - Throws: the error of `body`, with ``store`` set.
  public static func naming<Result>(
    _ store: String, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as StoreError { throw error.naming(store) }
  }
}
