/// Every case of the semantic contract, `Documentation/Semantics.md`.
///
/// ```swift
/// let report = await ConformanceSuite.run(on: MyProvider())
/// print(report)
/// ```
public enum ConformanceSuite {
  /// The cases, in the order of the clauses.
  ///
  /// ```swift
  /// let cases = ConformanceSuite.all.filter { $0.clauses.contains("2.1") }
  /// ```
  public static let all: [ConformanceCase] = parts.flatMap { $0 }

  private static let parts: [[ConformanceCase]] = [
    ConformanceCase.roundTrips,
    ConformanceCase.valueRules,
    ConformanceCase.keys,
    ConformanceCase.namedKeys,
    ConformanceCase.sql,
    ConformanceCase.comparisons,
    ConformanceCase.mixedNumbers,
    ConformanceCase.narrowNumbers,
    ConformanceCase.texts,
    ConformanceCase.canonicalTexts,
    ConformanceCase.arithmetic,
    ConformanceCase.functions,
    ConformanceCase.askedFunctions,
    ConformanceCase.predicates,
    ConformanceCase.objectMatching,
    ConformanceCase.words,
    ConformanceCase.namedQueries,
    ConformanceCase.orders,
    ConformanceCase.aggregates,
    ConformanceCase.finders,
    ConformanceCase.keyLists,
    ConformanceCase.longKeys,
    ConformanceCase.totals,
    ConformanceCase.saving,
    ConformanceCase.saveOutcomes,
    ConformanceCase.completionBlocks,
    ConformanceCase.brokenRules,
    ConformanceCase.generatedKeys,
    ConformanceCase.matching,
    ConformanceCase.transactions,
    ConformanceCase.concurrency,
    ConformanceCase.asynchronous,
    ConformanceCase.deadlines,
    ConformanceCase.closing,
    ConformanceCase.endlessLoops,
    ConformanceCase.instruments,
    ConformanceCase.sharedCommits,
    ConformanceCase.limits,
    ConformanceCase.boundaries,
    ConformanceCase.meanings,
    ConformanceCase.cycles,
    ConformanceCase.smallStacks,
    ConformanceCase.composedFilters,
    ConformanceCase.loading,
    ConformanceCase.loadingOperations,
    ConformanceCase.pagedLinks,
    ConformanceCase.classModels,
    ConformanceCase.evolution,
    ConformanceCase.graphSaving,
    ConformanceCase.linkDeltas,
    ConformanceCase.linkCoding,
    ConformanceCase.linkChanges,
    ConformanceCase.linkChangeRules,
    ConformanceCase.relationshipAsking,
    ConformanceCase.savedGraphs,
    ConformanceCase.linkedBatches,
    ConformanceCase.keyKinds,
    ConformanceCase.graphRules,
    ConformanceCase.deleteRules,
    ConformanceCase.oneWayRules,
    ConformanceCase.linkUpdates,
    ConformanceCase.leftLinks,
    ConformanceCase.linkKeys,
    ConformanceCase.linkedKeys,
    ConformanceCase.checks,
    ConformanceCase.relatedAsking,
    ConformanceCase.relatedLimits,
    ConformanceCase.items,
    ConformanceCase.groups,
    ConformanceCase.foldedGroups,
    ConformanceCase.relatedGroups,
    ConformanceCase.firstPerGroup,
    ConformanceCase.projections,
    ConformanceCase.pages,
    ConformanceCase.formats,
    ConformanceCase.templates,
    ConformanceCase.duplicateLinks,
    ConformanceCase.plans,
    ConformanceCase.relatedPlans,
    ConformanceCase.relatedAlternatives,
    ConformanceCase.relatedTexts,
    ConformanceCase.sharedTargets,
    ConformanceCase.promises,
    ConformanceCase.embedded,
    ConformanceCase.embeddedAsking,
    ConformanceCase.embeddedWriting,
    ConformanceCase.derived,
    ConformanceCase.derivedOpening,
    ConformanceCase.types,
    ConformanceCase.rowReading,
    ConformanceCase.external,
    ConformanceCase.externalRuns,
    ConformanceCase.rules,
    ConformanceCase.hooks,
    ConformanceCase.managed,
    ConformanceCase.clocks,
    ConformanceCase.softDeletes,
    ConformanceCase.softDeleteRules,
    ConformanceCase.softDeleteLinks,
    ConformanceCase.softDeletesManaged,
    ConformanceCase.hierarchies,
    ConformanceCase.hierarchyEvolution,
    ConformanceCase.schemaChanges,
    ConformanceCase.migrations,
    ConformanceCase.relationshipShapes,
    ConformanceCase.relationshipNames,
    ConformanceCase.droppedParts,
    ConformanceCase.setsInOnePass,
    ConformanceCase.migratedValues,
    ConformanceCase.refusedMigrations,
    ConformanceCase.migrationsInParts,
    ConformanceCase.migrationParts,
    ConformanceCase.undoneMigrations,
    ConformanceCase.movedAttributes,
    ConformanceCase.mergedEntities,
    ConformanceCase.migrationEnds,
    ConformanceCase.olderPrograms,
    ConformanceCase.aliases,
    ConformanceCase.errorTexts,
    ConformanceCase.wideEntities,
    ConformanceCase.hierarchyLinks,
    ConformanceCase.hierarchyManaged,
    ConformanceCase.hierarchyHooks,
    ConformanceCase.changes,
    ConformanceCase.changePaths,
    ConformanceCase.history,
    ConformanceCase.historyConsumers,
    ConformanceCase.changeStreams,
    ConformanceCase.observations,
    ConformanceCase.immediateObservations,
    ConformanceCase.observedReads,
    ConformanceCase.observationEnds,
    ConformanceCase.lists,
    ConformanceCase.listSections,
    ConformanceCase.longLists,
    ConformanceCase.keysOnly,
    ConformanceCase.liveQueries,
    ConformanceCase.sessions,
    ConformanceCase.sessionConflicts,
    ConformanceCase.sessionUndo,
    ConformanceCase.sessionChildren,
    ConformanceCase.sessionSubentities,
    ConformanceCase.sessionClassModels,
    ConformanceCase.sessionSoftDeletes,
    ConformanceCase.sessionDeleteRules,
    ConformanceCase.sessionOwnedAttributes,
    ConformanceCase.sessionInheritedAttributes,
    ConformanceCase.sessionObservation,
    ConformanceCase.linkedKeyClasses,
    ConformanceCase.linkedKeySessions,
  ]

  /// The clauses that the cases prove, in order.
  public static var clauses: [String] {
    Set(all.flatMap(\.clauses)).sorted {
      $0.split(separator: ".").compactMap { Int($0) }.lexicographicallyPrecedes(
        $1.split(separator: ".").compactMap { Int($0) })
    }
  }

  /// Runs every case, one after another, each on new stores; afterwards the provider cleans up.
  ///
  /// ```swift
  /// let report = await ConformanceSuite.run(on: MyProvider())
  /// print(report.isConforming, report.failures.count)
  /// ```
  public static func run(on provider: any StoreProvider) async -> ConformanceReport {
    var outcomes: [ConformanceReport.Outcome] = []
    for testCase in all {
      do {
        try await testCase.run(on: provider)
        outcomes.append(.init(testCase: testCase, failure: nil))
      } catch {
        outcomes.append(.init(testCase: testCase, failure: error))
      }
    }
    try? provider.cleanUp()
    return ConformanceReport(store: provider.name, outcomes: outcomes)
  }
}
