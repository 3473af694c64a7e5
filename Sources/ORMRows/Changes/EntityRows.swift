internal import ORMStorage

/// The changed rows of an entity in a commit.
///
/// Those of a log are made when they are first read, so that a listener pays for no more than it reads.
package struct EntityRows: Sendable {
  private enum Source {
    case made([RowChange])
    case logged(LoggedRows)
  }

  private let source: Source

  package init(_ rows: [RowChange]) { source = .made(rows) }

  /// Takes the changes of a log as rows, at the log's level.
  ///
  /// - Parameter log: a log of which ``RowLog/isNet`` is true.
  package init(_ log: RowLog) { source = .logged(LoggedRows(log, level: log.level)) }

  private init(_ rows: LoggedRows) { source = .logged(rows) }

  /// The rows in the order of their keys.
  var all: [RowChange] {
    switch source {
    case .made(let rows): rows
    case .logged(let rows): rows.all
    }
  }

  /// The rows as they are in a log, if all of them were inserted; nil for others.
  var insertions: LoggedInsertions? {
    if case .logged(let rows) = source { rows.insertions } else { nil }
  }

  /// The same rows in less detail.
  func narrowed(to level: ChangeLevel) -> EntityRows {
    switch source {
    case _ where level == .entities: EntityRows([])
    case .made(let rows): level == .values ? self : EntityRows(rows.map { $0.narrowed(to: level) })
    case .logged(let rows): EntityRows(rows.narrowed(to: level))
    }
  }
}

extension EntityRows: Hashable {
  package static func == (a: EntityRows, b: EntityRows) -> Bool { a.all == b.all }

  package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

extension EntityRows: CustomStringConvertible {
  package var description: String { all.description }
}

/// The rows of a log without updates and deletes, of which no changes are made.
struct LoggedInsertions {
  private let log: RowLog
  private let view: RecordedEntity.View
  private let isWhole: Bool

  init?(_ log: RowLog, level: ChangeLevel) {
    guard let view = log.entity.views.first,
      log.entries.allSatisfy({ $0.kind == .inserted })
    else { return nil }
    self.log = log
    self.view = view
    isWhole = level == .values
  }

  var count: Int { log.entries.count }

  /// The names of the values; empty if there are none.
  var names: [String] { isWhole ? view.names : [] }

  /// Calls the body with the key of each row, in the order of the keys, and with its values by name.
  func forEach(_ body: (_ key: ArraySlice<StoredValue>, _ row: ArraySlice<StoredValue>?) -> Void) {
    for entry in log.entries {
      guard let image = log.new(entry) else { continue }
      body(image.prefix(view.keyCount), isWhole ? image : nil)
    }
  }

  /// The values of an image in the order of the names.
  func values(of image: ArraySlice<StoredValue>) -> some Collection<StoredValue> {
    view.positions.lazy.map { image[image.startIndex + $0] }
  }
}

/// The rows of a log, made once.
private final class LoggedRows: Sendable {
  private enum State {
    case log(RowLog)
    case made([RowChange])
  }

  private let level: ChangeLevel
  private let state: Lock<State>

  init(_ log: RowLog, level: ChangeLevel) {
    self.level = level
    state = Lock(.log(log))
  }

  private init(_ rows: [RowChange], level: ChangeLevel) {
    self.level = level
    state = Lock(.made(rows))
  }

  var all: [RowChange] {
    state.withLock { state in
      switch state {
      case .made(let rows): return rows
      case .log(let log):
        var rows: [RowChange] = []
        rows.reserveCapacity(log.entries.count)
        log.forEachChange(at: level) { rows.append($1) }
        state = .made(rows)
        return rows
      }
    }
  }

  var insertions: LoggedInsertions? {
    guard case .log(let log) = state.withLock({ $0 }) else { return nil }
    return LoggedInsertions(log, level: level)
  }

  func narrowed(to level: ChangeLevel) -> LoggedRows {
    if level >= self.level { return self }
    switch state.withLock({ $0 }) {
    case .log(let log): return LoggedRows(log, level: level)
    case .made(let rows): return LoggedRows(rows.map { $0.narrowed(to: level) }, level: level)
    }
  }
}
