/// An event of a store that a person may want to know.
///
/// Warnings name the ``remedy`` in the words of the program. Each is given once a shape.
public struct StoreNotice: Sendable {
  /// The kind of event.
  public let kind: Kind
  /// The store.
  public let store: StoreFacts
  /// The event in a sentence, without values of rows.
  public let message: String
  /// The change of the program that would avoid it; nil where there is none.
  public let remedy: String?
  /// The entity concerned, by its name in the program; nil without one.
  public let entity: String?
  /// The way in which the store reaches the rows of a slow operation; nil for other kinds.
  public let plan: String?

  package init(
    _ kind: Kind, store: StoreFacts, _ message: String, remedy: String? = nil,
    entity: String? = nil, plan: String? = nil
  ) {
    self.kind = kind
    self.store = store
    self.message = message
    self.remedy = remedy
    self.entity = entity
    self.plan = plan
  }

  /// A kind of event.
  ///
  /// More may be added: have a `default` in every `switch`.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// A block sent many requests of one shape, as a loop over rows does.
    case queryPerRow
    /// A block saved many rows one by one.
    case savePerRow
    /// An operation took longer than ``InstrumentLimits/slowOperation``.
    case slowOperation
    /// An operation read many more rows than it returned.
    case droppedRows
    /// A blocking call held the main thread.
    case blockedMainThread
    /// A stream held its snapshot for long, or lost it.
    case heldSnapshot
    /// A transaction runs again after a conflict with others.
    case retried
    /// The store was migrated or recreated at its opening, or is about to be.
    case schemaChanged
    /// A failure that no caller receives.
    case failed

    /// The importance of the event.
    public var level: Level {
      switch self {
      case .schemaChanged: .info
      case .retried: .notice
      case .failed: .error
      default: .warning
      }
    }
  }

  /// The importance of an event or an entry of a log, by the names of swift-log.
  public enum Level: String, CaseIterable, Hashable, Codable, Comparable, Sendable {
    /// Each request; no notice has this level.
    case trace
    /// Each transaction; no notice has this level.
    case debug
    /// Expected, and rare.
    case info
    /// Worth knowing, and no fault.
    case notice
    /// Likely to hurt.
    case warning
    /// A fault.
    case error

    /// Returns whether a level is lower than another.
    public static func < (level: Self, other: Self) -> Bool { level.rank < other.rank }

    private var rank: Int {
      switch self {
      case .trace: 0
      case .debug: 1
      case .info: 2
      case .notice: 3
      case .warning: 4
      case .error: 5
      }
    }
  }

  /// The importance of the event.
  public var level: Level { kind.level }
}

extension StoreNotice: CustomStringConvertible {
  /// The message, the plan and the remedy, a sentence each.
  public var description: String {
    var text = message
    if let plan { text += " Plan: \(plan)." }
    if let remedy { text += " Remedy: \(remedy)." }
    return text
  }
}
