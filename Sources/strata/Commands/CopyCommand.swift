import ArgumentParser
import ORM

/// `strata copy URL URL`: every row of one store into another of any kind, verified.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies every row into a store of any kind, and verifies by a digest of every row.")

  @Argument(help: "The store to copy.") var source: StoreArgument
  @Argument(help: "The store to fill; its entities must be empty.") var target: StoreArgument

  mutating func run() throws {
    let from = try source.open(readOnly: true)
    defer { try? from.shut() }
    let to = try target.location.open(schema: Schema(from.schema))
    defer { try? to.shut() }
    let digests = try StoreCopy(from: from, to: to).run()
    try (to as? any ImageStore)?.save(to: target.location.path)
    for digest in digests {
      print("\(digest.entity): \(digest.rows) rows, digest \(digest.text)")
    }
  }
}
