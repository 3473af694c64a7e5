package import FoundationEssentials
internal import ORMStorage

/// The recorded changes of a commit, of which each listener gets its part.
package final class RecordedCommit: Sendable {
  let timestamp: Date
  let author: String?
  /// The token of the commit, if there is a history.
  package let token: HistoryToken?
  /// The levels at which entities were recorded; nil if none was.
  let levels: ChangeLevels?
  let logs: [RowLog]
  private let net = Lock<[String: EntityChanges]?>(nil)

  package init(
    timestamp: Date, author: String?, token: HistoryToken?, levels: ChangeLevels?, logs: [RowLog]
  ) {
    self.timestamp = timestamp
    self.author = author
    self.token = token
    self.levels = levels
    self.logs = logs
  }

  /// The changes of some entities of the program at a level.
  ///
  /// - Parameters:
  ///   - names: the entities; nil for all.
  ///   - written: the entities with rows that were written.
  package func changes(
    of names: Set<String>?, at level: ChangeLevel, written: Set<String>, _ schema: RecordedSchema
  ) -> [EntityChanges] {
    if level == .entities {
      return schema.unknown(names.map { $0.intersection(written) } ?? written, isEverything: false)
    }
    let net = net(schema)
    return schema.names.compactMap { name in
      guard names?.contains(name) ?? true else { return nil }
      if let recorded = levels?.level(of: name), recorded >= level {
        return net[name]?.narrowed(to: level)
      }
      // The listener came while the transaction ran.
      return written.contains(name)
        ? EntityChanges(entity: name, parents: schema.parents[name] ?? [], isEverything: true) : nil
    }
  }

  /// The net changes by entity, computed once.
  private func net(_ schema: RecordedSchema) -> [String: EntityChanges] {
    net.withLock { net in
      if let net { return net }
      var rows: [String: [RowChange]] = [:]
      var everything: Set<String> = []
      var whole: [String: RowLog] = [:]
      for log in logs {
        if log.isEverything {
          everything.formUnion(log.entity.entities)
        } else if let view = log.entity.views.first, log.isNet {
          whole[view.entity] = log
        } else {
          log.forEachChange(at: log.level) { rows[$0, default: []].append($1) }
        }
      }
      // Links are in logs of their own, and belong between the rows of both ends.
      for (name, log) in whole where rows[name] != nil {
        log.forEachChange(at: log.level) { rows[$0, default: []].append($1) }
        whole[name] = nil
      }
      var found: [String: EntityChanges] = [:]
      for name in Set(rows.keys).union(everything).union(whole.keys) {
        let isEverything = everything.contains(name)
        let known =
          isEverything
          ? EntityRows([])
          : whole[name].map { EntityRows($0) }
            ?? EntityRows((rows[name] ?? []).sorted(by: RowChange.isBefore))
        found[name] = EntityChanges(
          entity: name, parents: schema.parents[name] ?? [], isEverything: isEverything,
          rows: known)
      }
      net = found
      return found
    }
  }
}
