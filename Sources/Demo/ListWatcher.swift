import Foundation
import LMDBBackend
import StrataKit
import SQLiteBackend

/// The side of the list scene that prints the changes of a list, a line for each.
struct ListWatcher {
  /// The argument that makes the program a watcher; the kind and the path of its store follow.
  static let argument = "--watch-list"
  /// The list that ends the scene.
  static let lastList =
    "France: EuroAirport 885 | Iceland: Reykjavik 200, Keflavik 171 | Norway: Oslo 681, Bergen 170"

  /// The seconds after which a watcher that prints nothing has failed.
  static let limit = 120

  let store: any Store
  let output: FileHandle

  /// Prints changes until the list is the last one, which it prints too.
  func run() async throws {
    let airports = Airport.all.sorted(by: .ascending(\.country), .descending(\.altitude))
    for try await change in store.observeList(airports, sectionedBy: \.country) {
      try output.write(contentsOf: Data((Self.text(change) + "\n").utf8))
      let list = Self.text(change.list)
      if list == Self.lastList { return try output.write(contentsOf: Data((list + "\n").utf8)) }
    }
  }

  /// Watches the store of a kind and a path in a process of its own, which ends with the last list.
  static func watch(_ arguments: [String]) -> Never {
    Task {
      do {
        guard arguments.count == 2 else { throw StoreError(.invalidLocation, "\(arguments)") }
        let store = try open(arguments[0], arguments[1])
        try await ListWatcher(store: store, output: .standardOutput).run()
        exit(0)
      } catch {
        Demo.fail("the watching process: \(error)")
      }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + Double(limit)) {
      Demo.fail("the watching process: the last list did not come within \(limit) s")
    }
    dispatchMain()
  }

  /// Opens a store that notices the commits of other processes soon.
  static func open(_ kind: String, _ path: String) throws -> any Store {
    var options = StoreOptions()
    options.noticeInterval = .milliseconds(10)
    return kind == "LMDB"
      ? try LMDBStore(path: path, schema: Demo.schema(), options: options)
      : try SQLiteStore(path: path, schema: Demo.schema(), options: options)
  }

  private static func text(_ list: SectionedList<Airport, String?>) -> String {
    list.sections.map { section in
      let rows = list[section: section].map { "\($0.name) \($0.altitude)" }
      return "\(section.title): \(rows.joined(separator: ", "))"
    }.joined(separator: " | ")
  }

  private static func text(_ change: ListChange<Airport, String?>) -> String {
    let steps = change.steps
    let new = change.list
    // Only the first change has no list before, and nothing of it is removed.
    let old = change.previous ?? new
    let parts = [
      ("sections removed", steps.deletedSections.map { old.sections[$0].title }),
      ("sections inserted", steps.insertedSections.map { new.sections[$0].title }),
      ("sections moved", steps.movedSections.map { "\(new.sections[$0.to].title) \($0)" }),
      ("removed", steps.deletedRows.map { "\(old[$0].name) \($0)" }),
      ("inserted", steps.insertedRows.map { "\(new[$0].name) \($0)" }),
      ("moved", steps.movedRows.map { "\(new[$0.to].name) \($0)" }),
      ("updated", steps.updatedRows.map { new[$0.to].name }),
    ]
    return parts.filter { !$0.1.isEmpty }
      .map { "\($0.0): \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
  }
}
