#if Command
  import ArgumentParser
  import Foundation
  import ORM

  /// `strata watch URL [ENTITY…]`: the change set of each commit, as it is made.
  struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "watch",
      abstract: "Prints the changes of each commit as JSON Lines, until it is interrupted.",
      discussion: """
        One object for each commit: number, token, timestamp, author, changes (entity, kind, key, \
        attributes, relationship, target, old, new) and everything, the entities of which any row may \
        have changed. Rows are known of commits of other programs if the store keeps a history.
        """)

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Argument(help: "The entities; all unless given.") var entities: [String] = []
    @Option(help: "A token of an earlier line: begins right after that commit.") var after: String?
    @Option(help: "The detail; that of the history unless given.") var level: WatchLevel?
    @Option(help: "Ends after this number of lines.") var limit: Int?
    @OptionGroup var log: LogOption

    mutating func run() throws {
      let token = try after.map { try HistoryToken($0) }
      let opened = try store.open(readOnly: true, log: log)
      defer { try? opened.close() }
      for name in entities where opened.schema.entity(named: name) == nil {
        throw StoreError(.unknownEntity, "the store has no entity of this name", entity: name)
      }
      let stream = opened.changes(
        ofEntities: entities.isEmpty ? nil : entities,
        level: try level?.level ?? opened.historyLevel ?? .values, after: token)
      let limit = limit ?? .max
      if limit <= 0 { return }
      try Waiting.run {
        var left = limit
        for try await set in stream {
          FileHandle.standardOutput.write(Data((ChangeSetLine(set).text + "\n").utf8))
          left -= 1
          if left == 0 { break }
        }
      }
    }
  }

  /// A level of detail as an argument.
  enum WatchLevel: String, ExpressibleByArgument, CaseIterable {
    case entities, keys, attributes, values

    var level: ChangeLevel {
      switch self {
      case .entities: .entities
      case .keys: .keys
      case .attributes: .attributes
      case .values: .values
      }
    }
  }

  /// Runs asynchronous code from a command and waits for its end.
  private enum Waiting {
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
      let outcome = Lock<(any Error)?>(nil)
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        do {
          try await body()
        } catch {
          outcome.withLock { $0 = error }
        }
        done.signal()
      }
      done.wait()
      if let error = outcome.withLock({ $0 }) { throw error }
    }
  }

  /// A change set as one line of JSON.
  struct ChangeSetLine {
    let text: String

    init(_ set: ChangeSet) {
      var members = ["\"number\":\(set.commit.number)"]
      func add(_ name: String, _ text: String) { members.append("\"\(name)\":\(text)") }
      if let token = set.commit.token { add("token", RowPrinter.literal(token.description)) }
      add("timestamp", RowPrinter.json(of: .date(set.commit.timestamp)))
      if let author = set.commit.author { add("author", RowPrinter.literal(author)) }
      let rows = set.entities.flatMap { changes in
        changes.rows.map { Self.object($0, of: changes.entity) }
      }
      add("changes", "[\(rows.joined(separator: ","))]")
      let everything = set.entities.filter { $0.isEverything || $0.rows.isEmpty }.map(\.entity)
      if !everything.isEmpty {
        add("everything", "[\(everything.map(RowPrinter.literal).joined(separator: ","))]")
      }
      text = "{\(members.joined(separator: ","))}"
    }

    private static func object(_ row: RowChange, of entity: String) -> String {
      var members = [
        "\"entity\":\(RowPrinter.literal(entity))", "\"kind\":\"\(row.kind.rawValue)\"",
        "\"key\":\(RowPrinter.json(of: .array(row.key)))",
      ]
      if !row.attributes.isEmpty {
        let names = row.attributes.map(RowPrinter.literal).joined(separator: ",")
        members.append("\"attributes\":[\(names)]")
      }
      if let relationship = row.relationship {
        members.append("\"relationship\":\(RowPrinter.literal(relationship))")
        members.append("\"target\":\(RowPrinter.json(of: .array(row.target)))")
      }
      for (name, values) in [("old", row.old), ("new", row.new)] {
        guard let values else { continue }
        let fields = values.sorted { $0.key < $1.key }.map {
          "\(RowPrinter.literal($0.key)):\(RowPrinter.json(of: $0.value))"
        }
        members.append("\"\(name)\":{\(fields.joined(separator: ","))}")
      }
      return "{\(members.joined(separator: ","))}"
    }
  }
#endif
