#if Command
  import ArgumentParser
  import Foundation
  import ORM

  /// `strata copy URL URL`: every row of one store into another of any kind, verified.
  struct CopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "copy",
      abstract: "Copies every row into a store of any kind, and verifies by a digest of every row.")

    @Argument(help: "The store to copy.", transform: StoreArgument.init) var source: StoreArgument
    @Argument(help: "The store to fill; its entities must be empty.", transform: StoreArgument.init)
    var target: StoreArgument
    @OptionGroup var log: LogOption

    mutating func run() throws {
      if let identity = source.identity, identity == target.identity {
        throw StoreError(
          .invalidLocation, "\(source.location) cannot be copied into itself")
      }
      let from = try source.open(readOnly: true, log: log)
      defer { try? from.close() }
      try checkEmpty(from.schema)
      let to = try target.location.open(
        schema: Schema(from.schema), options: log.options)
      let digests: [EntityDigest]
      do {
        digests = try copy(from, to)
        try (to as? any ImageStore)?.save(to: target.location.path)
      } catch {
        try? to.close()
        throw error
      }
      try to.close()
      for digest in digests {
        print("\(digest.entity): \(digest.rows) rows, digest \(digest.text)")
      }
    }

    private func copy(_ from: any Store, _ to: any Store) throws -> [EntityDigest] {
      let total = try from.read { transaction in
        try from.schema.entities.filter { !$0.isBookkeeping }.reduce(0) {
          try $0 + transaction.count(DynamicQuery($1.modelName, deleted: .included))
        }
      }
      var progress = ProgressBar(title: "copy", total: total)
      defer { progress.finish() }
      var done = 0
      var current = ("", 0)
      return try StoreCopy(from: from, to: to).run { entity, rows in
        if entity != current.0 {
          done += current.1
        }
        current = (entity, rows)
        progress.show(count: done + rows)
      }
    }

    /// Looks into a target that exists without writing to it: opening it with the schema of the source
    /// would add missing entities to it, even when the copy is then refused.
    private func checkEmpty(_ schema: StoredSchema) throws {
      guard let opened = try target.openIfThere(log: log) else { return }
      defer { try? opened.close() }
      try opened.read { transaction in
        for name in schema.entities.filter({ !$0.isBookkeeping }).map(\.modelName)
        where opened.schema.entities.contains(where: { $0.modelName == name }) {
          guard try transaction.count(DynamicQuery(name, deleted: .included)) == 0 else {
            throw StoreError(
              .notEmpty, "\(target.location) has rows already; nothing was copied", entity: name)
          }
        }
      }
    }
  }
#endif
